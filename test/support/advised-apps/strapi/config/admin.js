module.exports = ({ env }) => ({
  auth: { secret: env('ADMIN_JWT_SECRET', 'example secret of the admin panel') },
  apiToken: { salt: env('API_TOKEN_SALT', 'example salt') },
  transfer: { token: { salt: env('TRANSFER_TOKEN_SALT', 'example salt') } }
})
