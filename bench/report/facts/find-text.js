/**
 * Looks up the text of a fact. A stored record can have a code or parameters that this version does not know.
 *
 * @template Params
 * @template {keyof Params & string} Code
 * @template Text
 * @param {{ [C in keyof Params]: (params: Params[C]) => Text }} texts
 * @param {{ code: Code, params: Params[Code] }} fact
 * @returns {Text | null} null: unknown
 */
export function findText (texts, { code, params }) {
  if (!Object.hasOwn(texts, code)) return null
  try {
    return texts[code](params)
  } catch {
    return null
  }
}
