/** Exports what other features use of this one. */
export { withSides } from './enclosed-sides.js'
export { readWords } from './targets.js'

/** @typedef {import('./sides.js').Side} Side */
/** @typedef {import('./sides.js').Sides} Sides */
/** @typedef {import('./sides.js').SideOptions} SideOptions */
