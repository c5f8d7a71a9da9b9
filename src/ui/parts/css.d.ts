/** A style sheet as text, for a page that has it inside. */
declare module "*.css?raw" {
  const text: string;
  export default text;
}
