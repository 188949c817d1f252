import compression from 'compression'
import express from 'express'
import { things } from 'words'

const LIST = things(100).map(thing => `<li>${thing}</li>`).join('')
const PAGE = `<!doctype html><title>Things</title><link rel="stylesheet" href="/assets/site-4f3a2b1c.css">
<img src="/assets/logo.svg" alt=""><ul>${LIST}</ul>`

const app = express()
app.use(compression())
app.use('/assets', express.static('dist/assets', { maxAge: '1h' }))
app.get('/', (req, res) => res.type('html').send(PAGE))
app.listen(Number(process.env.PORT ?? 3000))
