import Fastify from 'fastify'

const items = Array.from({ length: 50 }, (_, id) => ({ id, name: `Thing ${id}`, price: id }))
const app = Fastify()
app.get('/', () => items)
await app.listen({ port: Number(process.env.PORT) })
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => app.close())
