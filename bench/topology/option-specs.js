/** What a proxy's options are, in a line each: type, default, words for a person, and where they have a meaning. */

/** @import { OptionSpec, OptionValue } from '../types.js' */
/** @typedef {Pick<OptionSpec, 'choices' | 'for' | 'needs' | 'wholeSeconds'>} More */

/** @type {(value: boolean, help: string, more?: More) => OptionSpec} */
export const flag = (value, help, more) => ({ type: 'boolean', default: value, help, ...more })
/** @type {(value: number | 'auto', help: string, more?: More) => OptionSpec} */
export const number = (value, help, more) => ({ type: 'number', default: value, help, ...more })
/** @type {(value: string, help: string, more?: More) => OptionSpec} */
export const duration = (value, help, more) => ({ type: 'duration', default: value, help, ...more })
/** @type {(value: OptionValue, choices: OptionValue[], help: string, more?: More) => OptionSpec} */
export const choice = (value, choices, help, more) => ({ type: 'string', default: value, choices, help, ...more })
