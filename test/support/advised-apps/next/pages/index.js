import { createElement } from 'react'

export const getServerSideProps = () => ({ props: { things: Array.from({ length: 40 }, (_, i) => `Thing ${i}`) } })

export default ({ things }) =>
  createElement('ul', null, things.map(thing => createElement('li', { key: thing }, thing)))
