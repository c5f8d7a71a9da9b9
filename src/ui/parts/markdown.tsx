import type { ComponentChildren, VNode } from "preact";
import { printable } from "../../domain/printable.ts";

type Block =
  | { readonly kind: "heading" | "text" | "quote" | "code"; readonly text: string }
  | { readonly kind: "list"; readonly isNumbered: boolean; readonly items: readonly string[] };

const ITEM = /^\s*(?:[-*+]|(\d{1,6})[.)])\s+(.*)$/;

/** What a line belongs to, line by line: every line is looked at once. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let code: string[] | undefined;
  let isGap = true;
  const join = (kind: "text" | "quote", line: string): void => {
    const last = isGap ? undefined : blocks.at(-1);
    if (last?.kind === kind) blocks[blocks.length - 1] = { kind, text: `${last.text}\n${line}` };
    else blocks.push({ kind, text: line });
  };
  for (const line of printable(text).split("\n")) {
    const [, heading] = /^\s{0,3}#{1,6}\s+(.*)$/.exec(line) ?? [];
    const item = ITEM.exec(line);
    const last = blocks.at(-1);
    if (/^\s*(?:```|~~~)/.test(line)) {
      if (code === undefined) code = [];
      else {
        blocks.push({ kind: "code", text: code.join("\n") });
        code = undefined;
      }
    } else if (code !== undefined) code.push(line);
    else if (heading !== undefined) blocks.push({ kind: "heading", text: heading });
    else if (item !== null) {
      const isNumbered = item[1] !== undefined;
      const items = last?.kind === "list" && last.isNumbered === isNumbered ? last.items : [];
      if (items.length > 0) blocks.pop();
      blocks.push({ kind: "list", isNumbered, items: [...items, item[2]!] });
    } else if (/^\s{0,3}>/.test(line)) join("quote", line.replace(/^\s{0,3}>\s?/, ""));
    else if (line.trim() !== "") join("text", line);
    isGap = line.trim() === "";
  }
  if (code !== undefined) blocks.push({ kind: "code", text: code.join("\n") });
  return blocks;
}

/** In this order: code, a link, an address, strong words, emphasis. None may be longer than a person reads. */
const INLINE =
  /`([^`\n]{1,400})`|\[([^\]\n]{1,400})\]\(([^()\s]{1,1000})\)|(https?:\/\/[^\s<>()"'`]{1,1000}[^\s<>()"'`.,;:!?])|\*\*([^*\n]{1,400})\*\*|(?<![\w*])[*_]([^*_\s][^*_\n]{0,400})[*_](?![\w*])/g;

/** U-06: only to the web, and nothing there learns where one came from. */
const Link = ({ to, children }: { to: string; children: ComponentChildren }) =>
  /^https?:\/\//i.test(to) ? (
    <a href={to} rel="noopener noreferrer" target="_blank">
      {children}
    </a>
  ) : (
    <>{children}</>
  );

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let read = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, words, to, address, strong, emphasis] = found;
    parts.push(text.slice(read, found.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (words !== undefined) parts.push(<Link to={to!}>{words}</Link>);
    else if (address !== undefined) parts.push(<Link to={address}>{address}</Link>);
    else if (strong !== undefined) parts.push(<strong>{strong}</strong>);
    else parts.push(<em>{emphasis}</em>);
    read = found.index + whole.length;
  }
  return [...parts, text.slice(read)];
}

function Part({ block }: { block: Block }): VNode {
  if (block.kind === "list") {
    const items = block.items.map((item) => <li dir="auto">{inline(item)}</li>);
    return block.isNumbered ? <ol>{items}</ol> : <ul>{items}</ul>;
  }
  if (block.kind === "code") return <pre>{block.text}</pre>;
  if (block.kind === "heading") return <h4 dir="auto">{inline(block.text)}</h4>;
  if (block.kind === "quote") return <blockquote dir="auto">{inline(block.text)}</blockquote>;
  return <p dir="auto">{inline(block.text)}</p>;
}

/** What people and agents write, as far as Markdown says how it looks. HTML in it is text. */
export const Markdown = ({ text }: { text: string }) => (
  <div class="markdown">
    {blocksOf(text).map((block) => (
      <Part block={block} />
    ))}
  </div>
);
