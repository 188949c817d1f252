// Loaded into every Node process of a run (NODE_OPTIONS=--import). Sets the time of day back by an hour once the file
// HOPBENCH_TEST_CLOCK exists. The monotonic clock is not changed, as when a person sets the clock.
import { existsSync } from 'node:fs'

const file = process.env.HOPBENCH_TEST_CLOCK ?? ''
const HOUR_MS = 3600_000
const POLL_MS = 20

const RealDate = Date
let shift = existsSync(file) ? -HOUR_MS : 0
const timer = setInterval(() => {
  if (!existsSync(file)) return
  shift = -HOUR_MS
  clearInterval(timer)
}, POLL_MS)
timer.unref()

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + shift] : args, newTarget),
  get: (target, name) => name === 'now' ? () => RealDate.now() + shift : Reflect.get(target, name)
})
