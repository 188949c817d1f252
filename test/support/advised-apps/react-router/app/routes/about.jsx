import { Link } from 'react-router'

export default function About () {
  return <p>A page about <Link to='/'>things</Link></p>
}
