/**
 * For packages that are written for bundlers, which import JSON without saying so: `register()` it before they are
 * imported.
 */

/** @import { LoadHook } from 'node:module' */

/** @type {LoadHook} */
export const load = (url, context, next) =>
  next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context)
