/**
 * Returns the result of an action, or the result of a handler if the action throws.
 *
 * @template Result
 * @template Fallback
 * @param {() => Result} action
 * @param {(error: unknown) => Fallback} handle
 * @returns {Result | Fallback}
 */
export function attempt (action, handle) {
  try {
    return action()
  } catch (error) {
    return handle(error)
  }
}
