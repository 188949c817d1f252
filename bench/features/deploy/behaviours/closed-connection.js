import { Agent } from 'node:http'
import { ask } from '../configs/client.js'

const body = Buffer.from('order=1')

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a GET that meets the end of a kept connection to the app is sent again, and a POST with a body is not',
  notOffered: { apache: 'Apache closes the connection of the client, which may send the request again' },
  async run (subject) {
    /** Sends a request after another one on the same connection, so that the proxy uses a connection that it kept. */
    const sendSecond = async (/** @type {Parameters<typeof ask>[2]} */ request) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      await ask(subject, '/pid', { agent })
      const { status } = await ask(subject, '/closed', { ...request, agent })
      agent.destroy()
      return status
    }
    const [get, post] = [await sendSecond({}), await sendSecond({ method: 'POST', body })]
    /** @type {Record<string, number>} */
    const got = JSON.parse((await ask(subject, '/closed/count')).body)
    if (get !== 200) return `GET: status ${get}`
    if (got.POST > 1) return `the app got the POST ${got.POST} times`
    return got.GET > 1 && post !== 200 ? null : 'the proxy used no kept connection'
  }
}
