import fastify from 'fastify'

const { PORT, SOCKET } = process.env
const app = fastify()
app.get('/', async () => ({ hello: 'world' }))
await app.listen(SOCKET ? { path: SOCKET } : { port: Number(PORT) })
