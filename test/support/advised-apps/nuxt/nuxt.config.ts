export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  css: ['~/assets/main.css'],
  app: { head: { title: 'Things', link: [{ rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }] } }
})
