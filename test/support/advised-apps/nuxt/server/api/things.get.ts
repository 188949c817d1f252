export default defineEventHandler(() => Array.from({ length: 40 }, (_, i) => `Thing ${i}`))
