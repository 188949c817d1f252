/** Verdict of a trial in which a proxy serves files. */
import t from '../support/tap.js'
import { judgeSample } from '../../bench/judge/verdict.js'
import { armOf, sampleOf } from '../support/samples.js'

t.test('rejects a trial in which the app received requests for files that the proxy serves itself', async t => {
  const files = [{ prefix: '/assets', folder: '/srv' }]
  const toArm = (/** @type {string} */ spec, load = {}) => {
    const arm = armOf(spec)
    return { ...arm, topology: { ...arm.topology, files }, load: { ...arm.load, ...load } }
  }
  const toSample = (/** @type {object} */ proof) =>
    sampleOf({ proof: { ...sampleOf().proof, upstreamConnectionsPerRequest: 1, ...proof } })
  const spec = 'nginx:tcp+static/express-json'
  t.match(judgeSample(toSample({ filesAtServer: 3 }), toArm(spec)),
    { code: 'files-passed-on', params: { requests: 3 } })
  t.equal(judgeSample(toSample({ filesAtServer: 0 }), toArm(spec)), null)
  t.equal(judgeSample(toSample({ filesAtServer: 3 }), toArm('nginx:tcp/express-json')), null, 'a proxy without +static')
  t.equal(judgeSample(toSample({ upstreamConnectionsPerRequest: null }), toArm(spec, { path: '/assets/a.js' })), null,
    'a load of files alone, of which the app receives nothing')
})
