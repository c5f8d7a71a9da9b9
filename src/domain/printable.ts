/**
 * A text that cannot steer a terminal: control characters (but line breaks and tabs) and the marks that reverse the
 * direction of text become U+FFFD. Names, titles and file contents may appear in what we print.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
