// As rolling, but nginx skips a process for 10 s after a failure: the default of max_fails and fail_timeout.
import { startRolling } from './rolling.js'

/** @import { Way } from '../types.js' */

/** @type {Way} */
export default {
  about: {
    title: 'two processes one after the other behind nginx with its defaults',
    usedBy: 'an upstream of nginx without max_fails=0',
    emulated: null
  },
  order: 35,
  hasNginx: true,
  start: stage => startRolling(stage, { skipsFailed: true })
}
