/** Properties of recommended configurations. With more cases: test/proxy/proxy-properties.soak.test.js. */
import t from '../support/tap.js'
import { testProperties } from '../support/proxy-properties.js'

/** Cases of nginx, of the kit for Docker, and of each other proxy and kit, within the time of CI. */
const CASES = { nginx: 200, docker: 200, others: 50 }

t.jobs = 2
await testProperties(t, name => name === 'nginx' || name === 'docker' ? CASES[name] : CASES.others)
