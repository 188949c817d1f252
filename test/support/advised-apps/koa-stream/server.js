import { Readable } from 'node:stream'
import Koa from 'koa'

const lines = Array.from({ length: 100 }, (_, i) => `line ${i} of the stream\n`)
const app = new Koa()
app.use(context => {
  context.type = 'text/plain'
  context.body = Readable.from(lines)
})
app.listen(process.env.PORT)
