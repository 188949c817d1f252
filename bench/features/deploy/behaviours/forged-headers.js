import { FORGEABLE_HEADERS } from '../../../topology/forgeable-headers.js'
import { ask } from '../configs/client.js'

const FORGED = 'forged.example'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'the app sees no address, scheme, host or path that a client invented',
  async run (subject) {
    const names = [...FORGEABLE_HEADERS, 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Real-IP']
    const headers = Object.fromEntries(names.map(name => [name, FORGED]))
    const { status, body } = await ask(subject, '/headers', { headers })
    if (status !== 200) return `status ${status}`
    const seen = JSON.parse(body)
    const passed = Object.keys(seen).filter(name => String(seen[name]).includes(FORGED))
    if (passed.length > 0) return `the app got the forged ${passed.join(', ')}`
    if (seen['x-forwarded-for'] !== '127.0.0.1') return `X-Forwarded-For: ${seen['x-forwarded-for']}`
    if (seen['x-forwarded-proto'] !== 'http') return `X-Forwarded-Proto: ${seen['x-forwarded-proto']}`
    const ported = JSON.parse((await ask(subject, '/headers', { headers: { Host: 'example.com:8443' } })).body)
    return ported.host === 'example.com:8443' ? null : `Host: example.com:8443 became ${ported.host}`
  }
}
