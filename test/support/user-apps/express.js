import express from 'express'

const app = express()
app.get('/', (req, res) => res.json({ hello: 'world' }))
app.post('/orders', express.json(), ({ headers, body }, res) => {
  if (headers.authorization !== 'Bearer secret') return res.status(401).end()
  res.json({ ordered: body.item })
})
app.listen(process.env.SOCKET ?? process.env.PORT)
