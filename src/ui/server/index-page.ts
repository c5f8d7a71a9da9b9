/** The page itself, in which the script draws. Nothing of the workspace is in it: it is sent without a token. */
export const INDEX_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ralphctl</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/main.js"></script>
</head>
<body>
<div id="app"><main><p>Asking the server what goes on…</p><noscript><p>This page needs JavaScript.</p></noscript></main></div>
</body>
</html>
`;

/** For a person whose browser may not see the page. Both texts are our own. */
export const refusedPage = (error: string, hint: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>ralphctl</title></head>
<body><h1>${error}</h1><p>${hint}.</p></body>
</html>
`;
