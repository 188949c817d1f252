/** Exports what other features use of this one. */
export { HOST, PAGE, SITE, SITE_HEADERS, TLS_CLIENT, ask, openWebSocket, setSite } from './configs/client.js'
export { checkConfigs, getConfigArms, getSubjects, listNotOffered, loadBehaviours } from './configs/study.js'
export { makeFolders } from './configs/subject-files.js'
export { makeKit } from './kit/deploy-kit.js'
export { isPython } from './kit/python-project.js'
export { describeTlsEnd } from './kit/tls-end.js'
export { TARGETS } from './kit/targets.js'
