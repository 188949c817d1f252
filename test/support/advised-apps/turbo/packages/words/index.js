export const things = count => Array.from({ length: count }, (_, i) => `Thing ${i}`)
