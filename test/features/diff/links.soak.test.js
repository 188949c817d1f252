/** Trees with links, with 10,000 generated cases. */
import t from '../../support/tap.js'
import { testLinks } from '../../support/linked-branches.js'

/** Time limit, in seconds. A case starts about three programs. */
const SECONDS = 3600

t.setTimeout(SECONDS * 1000)

await testLinks(t, 10_000, { hasGit: false })
