import './style.css'

const things = await (await fetch('/api/things')).json()
document.querySelector('#things').innerHTML = things.map(({ name }) => `<li>${name}</li>`).join('')
