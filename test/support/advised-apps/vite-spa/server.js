import express from 'express'

const things = Array.from({ length: 50 }, (_, id) => ({ id, name: `Thing ${id}` }))
const app = express()
app.get('/api/things', (_, res) => res.json(things))
app.use(express.static('dist'))
app.listen(process.env.PORT)
