/**
 * Quotes a text as one spec if it has signs that nginx interprets, or a placeholder of a deploy kit, whose path may
 * have some. Texts with $ are rejected before (`interprets`).
 * @param {string} text
 */
export const quote = text => /[\s;{}"'\\#]|@[A-Z]+@/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
