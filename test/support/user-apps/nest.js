import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'

class Hello {
  hello () {
    return { hello: 'world' }
  }
}
class App {}
// Decorators, called as functions: this is plain JavaScript.
Get()(Hello.prototype, 'hello', /** @type {any} */ (Object.getOwnPropertyDescriptor(Hello.prototype, 'hello')))
Controller()(Hello)
Module({ controllers: [Hello] })(App)

const app = await NestFactory.create(App, { logger: false })
await app.listen(Number(process.env.PORT))
