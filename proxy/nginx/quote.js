/** Quotes a text as one word. Texts with $ are rejected before (`interprets`). @param {string} text */
export const quote = text => /[\s;{}"'\\#]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
