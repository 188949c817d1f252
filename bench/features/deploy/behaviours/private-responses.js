import { ask, isHit } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'responses with private, no-store, Authorization or another Vary are not shared; others are cached',
  options: { cache: '30s' },
  async run (subject) {
    for (const path of ['/private', '/no-store']) {
      const bodies = [await ask(subject, path), await ask(subject, path)].map(({ body }) => body)
      if (bodies[0] === bodies[1]) return `${path} was cached: "${bodies[0]}" twice`
    }
    for (const name of ['Basic YWxpY2U6', 'Basic Ym9iOg==']) {
      const reply = await ask(subject, '/account', { headers: { Authorization: name } })
      if (reply.body !== `the account of ${name}`) return `${name} got "${reply.body}"`
    }
    for (const language of ['de', 'en']) {
      const reply = await ask(subject, '/language', { headers: { 'Accept-Language': language } })
      if (reply.body !== `in ${language}`) return `Accept-Language: ${language} got "${reply.body}"`
    }
    // Proves that the cache works at all, because without a cache all of the above holds.
    await ask(subject, '/page')
    return isHit(await ask(subject, '/page')) ? null : 'a page that may be cached was not'
  }
}
