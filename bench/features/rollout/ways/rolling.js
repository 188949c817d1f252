// Two processes behind nginx are replaced one after the other. Each ends before its successor starts at its port.

/** @import { AppProcess, RunningWay, Stage, Way } from '../types.js' */

/**
 * Serves the old build by processes behind nginx, which are replaced one after the other.
 * @param {Stage} stage
 * @param {Parameters<Stage['startNginx']>[1] & { processes?: number }} [options]
 */
export async function startRolling (stage, { processes = 2, ...options } = {}) {
  const listens = []
  for (let i = 0; i < processes; i++) listens.push({ port: await stage.freePort() })
  const apps = await Promise.all(listens.map(listen => stage.startApp(stage.old, listen)))
  await stage.startNginx(listens, options)
  return replaceInTurn(apps, stage)
}

/**
 * Lets each process end before its successor starts at the same port.
 * @param {AppProcess[]} apps
 * @param {Stage} stage
 * @returns {RunningWay}
 */
export const replaceInTurn = (apps, stage) => ({
  async replace () {
    const ends = []
    for (const app of apps) {
      ends.push(await app.end())
      await stage.startApp(stage.new, app.listen)
    }
    return { ends }
  }
})

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
