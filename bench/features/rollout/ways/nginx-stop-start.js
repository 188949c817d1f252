// The old process ends, and then the new one starts at the same port, behind nginx, which goes on.
import { startRolling } from './rolling.js'

/** @import { Way } from '../types.js' */

/** @type {Way} */
export default {
  about: { title: 'stop, then start behind nginx', usedBy: 'systemctl restart behind nginx', emulated: null },
  order: 20,
  hasNginx: true,
  start: stage => startRolling(stage, { processes: 1 })
}
