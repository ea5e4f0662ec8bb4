import "reflect-metadata";
import type { AddressInfo } from "node:net";
import {
  type ArgumentsHost,
  BadRequestException,
  Body,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  HttpException,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { Type } from "class-transformer";
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from "class-validator";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  announce,
  Catalogue,
  CHALLENGE,
  errorOf,
  isAuthorized,
  NOT_FOUND,
  type Pet,
  STATUSES,
  type Status,
  UNAUTHORIZED,
} from "./catalogue.js";

// NestJS on Fastify as its guide shows it: a guard, DTO classes under a global ValidationPipe, an exception filter.

class NewPetDto {
  @IsString()
  @Length(1, 255)
  name!: string;

  @IsInt()
  categoryId!: number;

  @IsOptional()
  @IsIn(STATUSES)
  status?: Status;
}

class ListPetsDto {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @IsOptional()
  @IsIn(STATUSES)
  status?: Status;
}

@Injectable()
class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isAuthorized(request.headers.authorization)) throw new UnauthorizedException(UNAUTHORIZED);
    return true;
  }
}

@Injectable()
class PetsService extends Catalogue {}

@Controller("v1/pets")
@UseGuards(ApiKeyGuard)
class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  list(@Query() { limit, status }: ListPetsDto): Pet[] {
    return this.pets.list(limit, status);
  }

  @Post()
  create(@Body() newPet: NewPetDto, @Res({ passthrough: true }) reply: FastifyReply): Pet {
    const pet = this.pets.create(newPet);
    reply.header("Location", `/v1/pets/${pet.id}`);
    return pet;
  }

  @Get(":petId")
  get(@Param("petId", ParseIntPipe) petId: number): Pet {
    const pet = this.pets.get(petId);
    if (!pet) throw new NotFoundException(NOT_FOUND);
    return pet;
  }
}

@Module({ controllers: [PetsController], providers: [PetsService] })
class PetsModule {}

@Catch(HttpException)
class ErrorFilter implements ExceptionFilter {
  catch(failure: HttpException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const status = failure.getStatus();
    const code = failure instanceof BadRequestException ? "invalid_field" : "malformed_request";
    if (status === 401) reply.header("WWW-Authenticate", CHALLENGE);
    const body =
      status === 401 || status === 404 ? failure.getResponse() : errorOf(status, code, failure.message);
    reply.code(status).send(body);
  }
}

const app = await NestFactory.create<NestFastifyApplication>(PetsModule, new FastifyAdapter(), {
  logger: false,
});
app.useGlobalPipes(new ValidationPipe({ transform: true }));
app.useGlobalFilters(new ErrorFilter());
await app.listen(0, "127.0.0.1");
announce((app.getHttpServer().address() as AddressInfo).port);
