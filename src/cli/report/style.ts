/** For light and dark, for a screen and for paper. Colours of states are named once. */
export const STYLE = `
:root { color-scheme: light dark; --good: #2e7d32; --bad: #c62828; --warn: #b26a00; --idle: #607d8b;
  --line: color-mix(in srgb, CanvasText 20%, Canvas); --soft: color-mix(in srgb, CanvasText 6%, Canvas); }
@media (prefers-color-scheme: dark) { :root { --good: #66bb6a; --bad: #ef5350; --warn: #ffa726; --idle: #90a4ae; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
p.headline { font-size: 1.15rem; margin: .25rem 0 1rem; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .5rem 1.5rem; margin: 0; }
dl.facts dt { font-size: .8rem; opacity: .7; } dl.facts dd { margin: 0; font-size: 1.05rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .6rem .3rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
td.long { white-space: normal; overflow-wrap: anywhere; min-width: 6rem; } .wide { overflow-x: auto; }
th { font-size: .8rem; font-weight: 600; opacity: .7; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; } pre { background: var(--soft); padding: .6rem .8rem;
  overflow: auto; max-height: 24rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; padding: .4rem .8rem; }
summary { cursor: pointer; } summary .right { float: right; opacity: .7; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .idle { color: var(--idle); }
.picture { overflow: auto; border: 1px solid var(--line); border-radius: .4rem; padding: .5rem; }
svg text { font: 12px system-ui, sans-serif; fill: CanvasText; } svg .node { fill: Canvas; stroke-width: 1.5; }
svg .good { stroke: var(--good); } svg .bad { stroke: var(--bad); } svg .warn { stroke: var(--warn); }
svg .idle { stroke: var(--idle); } svg path { fill: none; stroke: var(--line); stroke-width: 1.3; }
svg path.part { stroke-dasharray: 4 3; }
.bar { fill: currentColor; } .under { display: flex; flex-wrap: wrap; gap: 0 1.2rem; font-size: .85rem; opacity: .8; }
.under :last-child { margin-left: auto; } .key::before { content: "■ "; } footer { margin: 3rem 0 1rem; font-size: .85rem; opacity: .7; }
@media print { details { break-inside: avoid; } details > * { display: block; } pre { max-height: none; } }
`;
