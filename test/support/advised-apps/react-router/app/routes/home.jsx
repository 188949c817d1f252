import { Link } from 'react-router'

export const meta = () => [{ title: 'Things' }]

export const loader = () => Array.from({ length: 40 }, (_, i) => `Thing ${i}`)

export default function Home ({ loaderData: things }) {
  return (
    <main>
      <Link to='/about'>About</Link>
      <ul>{things.map(thing => <li key={thing}>{thing}</li>)}</ul>
    </main>
  )
}
