/**
 * Servers for test/perf/prototypes.js, which measures the cost of setting the prototypes of request and response. The
 * argument names the kind of server. The process sends its address to its parent, and its CPU time in reply to each
 * message.
 */
import http from 'node:http'
import express from 'express'

const body = JSON.stringify({ text: 'x'.repeat(1000) })

/** @type {http.RequestListener} */
function plain (_request, response) {
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', Buffer.byteLength(body))
  response.end(body)
}

function app () {
  const app = express().disable('x-powered-by')
  app.get('/', (_request, response) => { response.type('json').send(body) })
  return app
}

/** Makes an Express server whose request and response classes have Express's properties, so no prototype changes. */
function ownClasses () {
  class Request extends http.IncomingMessage {}
  class Response extends http.ServerResponse {}
  const made = app()
  for (const [own, express] of [[Request.prototype, made.request], [Response.prototype, made.response]]) {
    Object.defineProperties(own, Object.getOwnPropertyDescriptors(Object.getPrototypeOf(express)))
    Object.defineProperty(own, 'app', { value: made, writable: true, configurable: true })
  }
  Object.assign(made, { request: Request.prototype, response: Response.prototype })
  return http.createServer({ IncomingMessage: Request, ServerResponse: Response }, made)
}

const prototypes = [Object.create(http.IncomingMessage.prototype), Object.create(http.ServerResponse.prototype)]
/** @type {Record<string, () => http.Server>} */
const kinds = {
  'node:http': () => http.createServer(plain),
  'node:http, prototypes set': () => http.createServer((request, response) => {
    Object.setPrototypeOf(request, prototypes[0])
    Object.setPrototypeOf(response, prototypes[1])
    plain(request, response)
  }),
  Express: () => http.createServer(app()),
  'Express, none to set': ownClasses
}

const server = kinds[process.argv[2]]().listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('message', () => process.send?.(process.cpuUsage()))
