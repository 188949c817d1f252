/**
 * Returns the text of a fact. A record of another version, or a forged one, can have a code without a text here, or
 * parameters with which the text cannot be made.
 *
 * @template Params
 * @template {keyof Params & string} Code
 * @template Text
 * @param {{ [C in keyof Params]: (params: Params[C]) => Text }} texts
 * @param {{ code: Code, params: Params[Code] }} fact
 * @returns {Text | null} null: there is no text
 */
export function findText (texts, { code, params }) {
  if (!Object.hasOwn(texts, code)) return null
  try {
    return texts[code](params)
  } catch {
    return null
  }
}
