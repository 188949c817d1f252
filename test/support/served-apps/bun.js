// The static files of Bun: a directory route of Bun.serve.
const { HOST, PORT, ROOT } = process.env

// @ts-expect-error the types of Bun are not installed
globalThis.Bun.serve({
  hostname: HOST,
  port: PORT,
  routes: { '/*': { dir: ROOT } }
})
