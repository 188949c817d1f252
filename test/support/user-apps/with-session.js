// Express with sessions and compression, as many apps have them; a session is saved only where the app writes to it.
import compression from 'compression'
import express from 'express'
import session from 'express-session'

const LIST = Array.from({ length: 200 }, (_, id) => ({ id, name: `item ${id}` }))

const app = express()
app.use(compression())
app.use(session({ secret: 'for tests', resave: false, saveUninitialized: false }))
app.get('/', (req, res) => res.json(LIST))
app.listen(Number(process.env.PORT))
