class Engine:
    def go(self): ...


class Wheel:
    def turn(self): ...


class Base:
    spare: Wheel

    @property
    def state(self) -> Engine: ...


class Car(Base):
    count = 0

    def __init__(self, engine: Engine, wheel=None):
        self.engine = engine
        self.wheel = Wheel()
        self.mixed = Wheel()
        self.state = engine
        self.later = None

    def drive(self):
        self.engine.go()
        self.wheel.turn()
        self.mixed.turn()
        self.spare.turn()
        self.state.go()
        self.later.turn()
        self.mixed = Engine()
        self.later = Wheel()
        self.count.bit_length()
        callback = lambda: self.engine.go()

        def nested():
            self.wheel.turn()

        return nested, callback
