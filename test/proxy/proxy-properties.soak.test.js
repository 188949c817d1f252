/** Properties of recommended configurations, with 10,000 generated cases for each proxy and kit. */
import t from '../support/tap.js'
import { testProperties } from '../support/proxy-properties.js'

await testProperties(t, () => 10_000)
