/**
 * The process manager `pm2`: PM2's daemon in this process instead of in the background (what
 * `pm2 start --no-daemon` does), on the project's ecosystem.config.js. It and its workers belong to
 * one process group and end with it, and PM2_HOME keeps it apart from any daemon of the person's.
 */
import pm2 from 'pm2'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { removeStale } from './stale.js'

const ecosystem = fileURLToPath(new URL('../../ecosystem.config.js', import.meta.url))

/** @type {import('../launch.js').LaunchOrder} */
const order = JSON.parse(process.env.HOPBENCH_LAUNCH ?? '{}')

// Workers end when the channel to the daemon closes. PM2 itself would start those anew that got
// the group's signal before it.
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, () => process.exit(0))

try {
  if (order.listen.kind === 'unix') await removeStale(order.listen.path)
  await promisify(pm2.connect.bind(pm2, true))()
  const bus = await promisify(pm2.launchBus.bind(pm2))()
  bus.on('process:event', (/** @type {{ event: string, process: { name: string } }} */ { event, process }) => {
    if (event === 'restart overlimit') giveUp(`PM2 gave up on ${process.name}: it died at its start again and again`)
  })
  await promisify(pm2.start.bind(pm2))(/** @type {any} */ (ecosystem))
} catch (error) {
  // PM2 rejects with an error, a list of them, or a text.
  giveUp(`PM2 could not start: ${[error].flat().map((/** @type {any} */ one) => one?.message ?? one).join('; ')}`)
}

/** @param {string} why */
function giveUp (why) {
  process.stderr.write(`${why}\n`, () => process.exit(1))
}
