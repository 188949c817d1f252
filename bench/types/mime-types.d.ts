/** Part of the package mime-types that hopbench uses. */
declare module 'mime-types' {
  const mime: {
    types: Record<string, string> // media type by the end of a name
    charset (type: string): string | false
  }
  export default mime
}
