/** Exports what other features use of this one. */
export { HOST, PAGE, SITE, SITE_HEADERS, TLS_CLIENT, ask, openWebSocket, setSite } from './configs/client.js'
export { checkConfigs, getConfigArms, getSubjects, listNotOffered, loadBehaviours } from './configs/study.js'
export { toPrivatePaths } from './configs/private-paths.js'
export { makeFolders } from './configs/subject-files.js'
export { listStarted } from './kit/start-script.js'
export { isPython } from './kit/python-project.js'
export { TARGETS, describeTlsEnd } from './kit/targets.js'
/** Loads the kits on demand, because a check, which writes none, would load twice as many modules.
 * @type {typeof import('./kit/deploy-kit.js').makeKit} */
export const makeKit = async (...kit) => (await import('./kit/deploy-kit.js')).makeKit(...kit)
