module.exports = {
  uiHost: process.env.HOST || '0.0.0.0',
  uiPort: process.env.PORT || 1880,
  flowFile: 'flows.json',
  credentialSecret: process.env.CREDENTIAL_SECRET || 'for tests',
  logging: { console: { level: 'warn', metrics: false, audit: false } }
}
