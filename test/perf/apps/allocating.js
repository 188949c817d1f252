// App that allocates many objects for each request, and sends a few of them.
/**
 * @param {import('node:http').IncomingMessage} req
 * @param {import('node:http').ServerResponse} res
 */
export default (req, res) => {
  const rows = Array.from({ length: 2000 }, (_, id) => ({ id, name: `row ${id}`, tags: [`a${id}`, `b${id % 7}`] }))
  const body = JSON.stringify(rows.filter(({ id }) => id % 100 === 0))
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(body) })
  res.end(body)
}
