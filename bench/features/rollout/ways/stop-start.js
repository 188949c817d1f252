// The old process ends, and then the new one starts at the same port.
import { replaceInTurn } from './rolling.js'

/** @import { Way } from '../types.js' */

/** @type {Way} */
export default {
  about: { title: 'stop, then start', usedBy: 'systemctl restart, docker compose up', emulated: null },
  order: 10,
  hasNginx: false,
  start: async stage => replaceInTurn([await stage.startApp(stage.old, { port: stage.port })], stage)
}
