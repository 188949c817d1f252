/** Many generated projects for test/features/deploy/kit/context.test.js. */
import t from '../../../support/tap.js'
import { testContexts } from '../../../support/context-property.js'

t.test('generated projects keep their secrets out of the context', { timeout: 7_200_000 }, t => testContexts(t, 60))
