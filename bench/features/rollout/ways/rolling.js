// Two processes behind nginx are replaced one after the other. Each ends before its successor starts at its port.

/** @import { Stage, Way } from '../types.js' */

/**
 * @param {Stage} stage
 * @param {Parameters<Stage['startNginx']>[1]} [options]
 */
export async function startRolling ({ old, new: next, freePort, startApp, startNginx }, options) {
  const listens = [{ port: await freePort() }, { port: await freePort() }]
  const apps = await Promise.all(listens.map(listen => startApp(old, listen)))
  await startNginx(listens, options)
  return {
    async replace () {
      const ends = []
      for (const app of apps) {
        ends.push(await app.end())
        await startApp(next, app.listen)
      }
      return { ends }
    }
  }
}

/** @type {Way} */
export default {
  about: {
    title: 'two processes one after the other behind nginx',
    usedBy: 'systemctl restart app@1, then app@2',
    emulated: null
  },
  order: 30,
  hasNginx: true,
  start: stage => startRolling(stage)
}
