/**
 * Loader hook for packages written for bundlers, which import JSON without an import attribute. Call `register()` with
 * this file before importing them.
 */

/** @import { LoadHook } from 'node:module' */

/** @type {LoadHook} */
export const load = (url, context, next) =>
  next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context)
