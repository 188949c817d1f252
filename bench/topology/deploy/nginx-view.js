/** What nginx's templates say differently in a deploy kit (pure). The start script fills in the names in it. */

/** @import { DeployPlace } from '../../types.js' */

/** The start script leaves out the second where the kernel has no IPv6: nginx would not start. */
export const everyAddress = () => ['@PORT@', '[::]:@PORT@']

export const KIT_NOTES = ['', 'start.sh puts the port and folders in place of the names between two @, and starts',
  'nginx with the result: this file by itself is refused.']

/** @param {DeployPlace} place */
export const deployView = ({ routers, clientHeader, drainSeconds }) => ({
  routers,
  clientHeader,
  drainSeconds,
  scheme: routers.length > 0 ? '$forwarded_proto' : '$scheme'
})
