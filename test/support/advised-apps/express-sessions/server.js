import express from 'express'
import session from 'express-session'

const app = express()
app.use('/assets', express.static('public'))
app.use(session({ secret: 'a secret of this test', resave: false, saveUninitialized: true }))
app.get('/', ({ session }, res) => {
  session.visits = (session.visits ?? 0) + 1
  const style = '<link rel="stylesheet" href="/assets/site.css">'
  res.send(`<!doctype html><title>Shop</title>${style}${'<p>A thing.</p>'.repeat(200)}`)
})
app.listen(process.env.PORT)
