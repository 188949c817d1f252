// The new process starts, the router switches to it after a health check, and the old process gets SIGTERM at once.
import { startBeside } from './blue-green.js'

/** @import { Way } from '../types.js' */

/** Time from SIGTERM to SIGKILL on Kubernetes (terminationGracePeriodSeconds), Heroku and Render. */
const GRACE_SECONDS = 30

/** @type {Way} */
export default {
  about: {
    title: 'switch of a platform',
    usedBy: 'Kubernetes, Render, Fly.io, Heroku with preboot',
    emulated: 'nginx is the router, with its own delays and timeouts'
  },
  order: 70,
  hasNginx: true,
  start: stage => startBeside(stage, { drainSeconds: 0, graceSeconds: GRACE_SECONDS })
}
