import { Controller, Get, Injectable, Module } from '@nestjs/common'

@Injectable()
class ThingsService {
  list () {
    return Array.from({ length: 40 }, (_, id) => ({ id, name: `Thing ${id}` }))
  }
}

@Controller()
class ThingsController {
  constructor (private readonly things: ThingsService) {}

  @Get()
  list () {
    return this.things.list()
  }
}

@Module({ controllers: [ThingsController], providers: [ThingsService] })
export class AppModule {}
